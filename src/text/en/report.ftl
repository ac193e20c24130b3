# Summary and convergence lines. Wording of `convergence` is fixed by the contract.
convergence = Convergence: { $rounds } critic rounds — the findings file is complete; another run would raise 0 new problems.
