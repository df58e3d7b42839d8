/* update_family.h - the formulas that update_template.h has. Plain C. Internal. */
#ifndef STRIA_UPDATE_FAMILY_H
#define STRIA_UPDATE_FAMILY_H

typedef enum stria_update_family {
    STRIA_UPDATE_SGD,
    STRIA_UPDATE_ADAM,
    STRIA_UPDATE_RMSPROP,
    STRIA_UPDATE_ADAGRAD,
    STRIA_UPDATE_SCALE,
    STRIA_UPDATE_CLIP
} stria_update_family;

#endif
