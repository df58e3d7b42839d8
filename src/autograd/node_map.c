/* node_map.c - open addressing with linear probing; a removed item's place is filled by those behind it. */
#include "autograd/node_map.h"

#include "base/alloc.h"

static size_t get_place(const stria_node_map *map, const stria_node *node)
{
    return (size_t)(((uint64_t)(uintptr_t)node >> 6) * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (map->room - 1);
}

int *stria_node_map_find(const stria_node_map *map, const stria_node *node)
{
    if (map->n == 0) return NULL;
    for (size_t k = get_place(map, node);; k = (k + 1) & (map->room - 1)) {
        if (map->at[k].node == node) return map->at[k].sequence == node->sequence ? &map->at[k].number : NULL;
        if (map->at[k].node == NULL) return NULL;
    }
}

static void put(stria_node_map *map, stria_node_item item)
{
    size_t k = get_place(map, item.node);

    while (map->at[k].node != NULL && map->at[k].node != item.node) k = (k + 1) & (map->room - 1);
    if (map->at[k].node == NULL) map->n++;
    map->at[k] = item;
}

bool stria_node_map_put(stria_node_map *map, const stria_node *node, int number)
{
    if (2 * (map->n + 1) > map->room) {
        stria_node_map more = {.room = map->room > 0 ? 2 * map->room : 64};
        more.at = stria_object_new(more.room * sizeof *more.at);
        if (more.at == NULL) return false;
        for (size_t k = 0; k < map->room; k++)
            if (map->at[k].node != NULL) put(&more, map->at[k]);
        stria_object_release(map->at);
        *map = more;
    }
    put(map, (stria_node_item){node, node->sequence, number});
    return true;
}

void stria_node_map_remove(stria_node_map *map, const stria_node *node)
{
    const size_t mask = map->room - 1;
    size_t       gap = get_place(map, node);

    while (map->at[gap].node != node) gap = (gap + 1) & mask;
    for (size_t k = (gap + 1) & mask; map->at[k].node != NULL; k = (k + 1) & mask) {
        const size_t home = get_place(map, map->at[k].node);
        if (((k - home) & mask) < ((k - gap) & mask)) continue; /* it may not lie before its place */
        map->at[gap] = map->at[k];
        gap = k;
    }
    map->at[gap].node = NULL;
    map->n--;
}

void stria_node_map_release(stria_node_map *map)
{
    stria_object_release(map->at);
    *map = (stria_node_map){NULL, 0, 0};
}
