# 打开的运行与 findings 文件，以及只读窗口。
open-held = 只读：{ $holder } 正在执行此运行；进展会显示在这里
open-holder-gone = 已无人执行此运行；{ $command } 可接手
open-goes-on = 此运行尚未完成：在这里继续
open-kept-decisions = 此文件上有未写出的决定：都在这里
open-rests = 在您作出决定之前不会有任何改动
open-cannot-change = 只读：{ $why }；{ $hint }
open-cannot-follow = 此窗口无法跟随该运行：{ $why }
open-document-missing = 这里没有 { $path }：无法显示引用的行
open-document-changed = 文本已移动或更改：{ $path } 与评审时不同
open-unfinished = 此文档有一次未完成的运行：{ $command } 可继续
