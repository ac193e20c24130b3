# 总结与收敛行；`convergence` 的文字由合同规定。
convergence = Convergence: { $rounds } 轮 critic — findings 文件已完整；再运行一次将发现 0 个新问题。
