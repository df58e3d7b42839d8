/* node_map.h - numbers for nodes, while a walk needs them. Internal. */
#ifndef STRIA_NODE_MAP_H
#define STRIA_NODE_MAP_H

#include "autograd/node.h"

typedef struct stria_node_item {
    const stria_node *node;     /* NULL: empty */
    uint64_t          sequence; /* of the node: another one may lie there by now */
    int               number;
} stria_node_item;

/* {0} is an empty one. */
typedef struct stria_node_map {
    stria_node_item *at; /* [room], a power of two */
    size_t           n, room;
} stria_node_map;

/* The number of a node; NULL: it has none. Valid until the next put or remove. */
int *stria_node_map_find(const stria_node_map *map, const stria_node *node);
/* Of a node that has none yet; one that lay there before it is forgotten. False: no memory. */
bool stria_node_map_put(stria_node_map *map, const stria_node *node, int number);
void stria_node_map_remove(stria_node_map *map, const stria_node *node);
void stria_node_map_release(stria_node_map *map);

#endif
