// products.mlir - how products of matrices are compiled whose shape allows it: those that are marked "tile_32" and "tile_16".
//
// 256 x 32 elements of the right operand at a time lie one after another in memory of their own; of the result 8 rows of as many columns are
// accumulated in registers, with multiply-add.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %m32 = transform.structured.match ops{["linalg.matmul"]} attributes{tile_32} in %root : (!transform.any_op) -> !transform.any_op
    %a32, %j32 = transform.structured.tile_using_for %m32 tile_sizes [0, 32, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %m16 = transform.structured.match ops{["linalg.matmul"]} attributes{tile_16} in %root : (!transform.any_op) -> !transform.any_op
    %a16, %j16 = transform.structured.tile_using_for %m16 tile_sizes [0, 16, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %a = transform.merge_handles %a32, %a16 : !transform.any_op
    %b, %k = transform.structured.tile_using_for %a tile_sizes [0, 0, 256] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %packed = transform.structured.promote %b {operands_to_promote = [1], alignment = 64} : (!transform.any_op) -> !transform.any_op
    %c, %i = transform.structured.tile_using_for %packed tile_sizes [8, 0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %d, %kk = transform.structured.tile_using_for %c tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %d : !transform.any_op
    %functions = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
      transform.apply_patterns.vector.lower_outerproduct
    } : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
    } : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_shape_cast
      transform.apply_patterns.vector.lower_transpose
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }
}
