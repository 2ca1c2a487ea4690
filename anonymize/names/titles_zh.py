"""Titles and forms of address behind Chinese family names, and words that look like such a name and are none."""

from anonymize.names.lists import word_set

TITLES = word_set(
    "总 经理 老师 医生 大夫 主任 先生 女士 小姐 太太 教授 师傅 律师 同学 姐 哥 阿姨 叔叔 叔 婶 爷爷 奶奶 大爷 "
    "大妈 老板 处长 局长 科长 部长 院长 校长 所长 厂长 店长 组长 队长 班长 主管 总监 董事长 书记 会计 护士 "
    "警官 法官 助理 秘书 工 董 导 博士 院士 教练 房东 姑娘 妈妈 爸爸 嫂 伯 伯伯 舅舅 警察 护士长 班主任 店员 "
    "司机 同志 經理 老師 醫生 醫師 總 老闆 律師"
)
# Titles that behind a family name leave no doubt, if no word ends in that character.
LONG_TITLES = word_set(
    "经理 老师 医生 大夫 主任 先生 女士 小姐 太太 教授 师傅 律师 阿姨 叔叔 爷爷 奶奶 大爷 大妈 老板 处长 局长 科长 "
    "部长 院长 校长 所长 厂长 店长 组长 队长 班长 主管 总监 董事长 书记 警官 法官 博士 院士 教练 护士长 班主任 同学"
)
NICK_WORDS = word_set(
    "小米 小时 小明 小红 小刚 小说 小白 小程 小车 小马 老师 老板 老年 老家 阿里 阿姨 小麦 小路 小龙 老方 小项 "
    "小名 大名 小康 小区 小学 小心 小声 小伙 小孩 小组 小吃 小票 小费 老人 老家 老婆 老公 老外 老弟 老爸 老妈 阿胶 "
    "小计 小丁 小康 小池 小包 小巫 小石 小黄 小江 老江 小花 小华 小应"
)
TITLE_WORDS = word_set(
    "高总 成工 施工 华工 全总 应工 易工 车工 管工 单工 年总 汇总 毛哥 平总 常总 高导 向导 项目总监 经总"
)
