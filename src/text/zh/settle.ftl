# 定稿步骤写入 findings 文件的句子。
settle-undecided = 问题 { $findings } 说的是同一件事，还是它们的建议互相排斥？
settle-stands = “{ $thing }”并未缺失：它位于文档第 { $line } 行。
settle-quoted = “{ $thing }”并未缺失：问题 { $finding } 引用了它。
