/* rules_values.h - rules that look at dtypes. Internal. */
#ifndef STRIA_RULES_VALUES_H
#define STRIA_RULES_VALUES_H

#include "autograd/rule.h"

/* x, but f32 where it is f16 or bf16: for sums of products of rounded values. */
stria_term stria_rule_widen(stria_term x);

#endif
