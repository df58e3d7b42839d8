/* rules_values.h - rules that look at dtypes or elements. Internal. */
#ifndef STRIA_RULES_VALUES_H
#define STRIA_RULES_VALUES_H

#include "autograd/rule.h"

/* x, but f32 where it is f16 or bf16: for sums of products of rounded values. */
stria_term stria_rule_widen(stria_term x);
/* Whether x has an element 0, or cannot be looked at, as on another device. A rule then takes the formula that holds for zeros, too. */
bool stria_rule_may_have_zero(stria_term x);

#endif
