# SPDX-License-Identifier: BSD-3-Clause
"""A small user of PETSc and hypre: Poisson's equation on a cube, by BoomerAMG in a Krylov method.

Options of PETSc choose other methods, and `-side` another grid.

hypre makes a communicator of the processes that have rows of the coarsest matrix. It finds them by
an allreduce whose operator merges whole lists of ranks. Prints what came of it.
"""

import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

SIDE = PETSc.Options().getInt("side", 12)

grid = PETSc.DMDA().create([SIDE] * 3, stencil_width=1)
matrix = grid.createMatrix()
(left, right), (front, back), (low, high) = grid.getRanges()
row, column = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
for point in (
    (i, j, k) for k in range(low, high) for j in range(front, back) for i in range(left, right)
):
    row.index = point
    matrix.setValueStencil(row, row, 6.0)
    for axis in range(3):
        for step in (-1, 1):
            other = [at + step * (each == axis) for each, at in enumerate(point)]
            if 0 <= other[axis] < SIDE:
                column.index = tuple(other)
                matrix.setValueStencil(row, column, -1.0)
matrix.assemble()

right_side, solution = matrix.createVecs()
right_side.set(1.0)
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setType("cg")
solver.getPC().setType("hypre")
solver.setTolerances(rtol=1e-12)
solver.setFromOptions()
solver.solve(right_side, solution)

matrix.mult(solution, right_side)
right_side.shift(-1.0)
PETSc.Sys.Print(f"iterations: {solver.getIterationNumber()}")
PETSc.Sys.Print(f"residual below 1e-6: {right_side.norm() < 1e-6}")
PETSc.Sys.Print(f"sum: {solution.sum():.12e}")
PETSc.Sys.Print(f"largest: {solution.max()[1]:.12e}")
