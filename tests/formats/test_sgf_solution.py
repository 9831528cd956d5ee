"""Which first moves of an SGF record its comments and properties call right."""

from __future__ import annotations

import pytest

from jaxsolve.formats import sgf_problem

RIGHT = [
    *(
        "RIGHT",
        "RIGHT\r\n",
        "Well done. RIGHT",
        "White answers wrong: RIGHT",
        "Correct!",
        "correct",
    ),
    *(
        "CORRECT",
        "This is correct.",
        "Correct. A1 is wrong.",
        "+",
        " + \n",
        "正解",
        "正解图",
        "正解圖",
    ),
    *("正解図", "【正确】", "正確", "정답", "정답입니다", "正解。黒A1は失敗"),
]
WRONG = [
    *("Wrong.", "WRONG", "Incorrect", "not correct", "Not the correct move", "NOT CORRECT"),
    *("isn't correct", "isn't quite correct", "NOT RIGHT", "Wrong. The correct move is A1."),
    *(
        "不正解",
        "不正确",
        "不正確",
        "非正解",
        "正解ではない",
        "正解じゃない",
        "失敗",
        "失败图",
        "失敗。正解はA1",
    ),
    *("错误", "錯誤", "오답", "정답이 아닙니다", "실패"),
]
NEITHER = [
    *(
        "",
        "Black to play",
        "-",
        "+1",
        "B+3",
        "right",
        "the right side",
        "Black lives",
        "A correction",
    ),
    *("正", "解", "上上", "RIGHTS", "uprights", "wrongly"),
]


def solution(text: str) -> dict[str, bool | None]:
    found = sgf_problem.read_marked(f"(;SZ[5]AB[aa]AW[bb]{text})").solution
    return {each.move: each.right for each in found}


@pytest.mark.parametrize(
    ("words", "first", "second"),
    [
        *((words, False, True) for words in RIGHT),
        *((words, True, False) for words in WRONG),
        *((words, True, None) for words in NEITHER),
    ],
)
def test_the_words_of_a_comment(words, first, second):
    for line in (";B[dd]C[{}]", ";B[dd];W[ee]C[{}]", ";B[dd];W[ee];C[x];B[ea]C[{}]"):
        found = solution(f"(;B[cc])({line.format(words)})")
        assert found == {"C3": first, "D2": second}, line


MARKED = {
    "TE": ("(;B[cc])(;B[dd]TE[1])", {"C3": False, "D2": True}),
    "TE far below": ("(;B[cc];W[dd](;B[ee])(;B[ea]TE[2]))(;B[dd])", {"C3": True, "D2": False}),
    "TE at an answer": ("(;B[cc];W[dd]TE[1])(;B[dd];W[ee];B[ea]TE[])", {"C3": False, "D2": True}),
    "TE at answers only": ("(;B[cc];W[dd])(;B[dd];W[cc]TE[1])", {"C3": True, "D2": None}),
    "BM": ("(;B[cc]BM[1])(;B[dd])", {"C3": False, "D2": None}),
    "BM against a comment": ("(;B[cc]BM[1]C[correct?])(;B[dd]C[+])", {"C3": False, "D2": True}),
    "BM at an answer": ("(;B[cc];W[dd]BM[1])(;B[dd])", {"C3": True, "D2": None}),
    "other judgements": (
        "(;B[cc]DO[])(;B[dd]IT[])(;B[ee]GB[1])",
        {"C3": True, "D2": None, "E1": None},
    ),
    "a wrong first one": ("(;B[cc]C[失敗])(;B[dd])", {"C3": False, "D2": None}),
    "a wrong branch of the first one": (
        "(;B[cc];W[dd](;B[ee])(;B[ea]C[wrong]))(;B[dd])",
        {"C3": True, "D2": None},
    ),
    "two right ones": (
        "(;B[cc]C[+])(;B[dd]C[正解])(;B[ee])",
        {"C3": True, "D2": True, "E1": False},
    ),
    "one move twice": ("(;B[cc])(;B[cc];W[dd]C[RIGHT])", {"C3": True}),
    "a first one that is no point": ("(;B[zz])(;B[dd])", {"D2": None}),
    "a first one of two moves": ("(;B[cc]W[dd])(;B[dd])", {"D2": None}),
    "a right one that is no point": ("(;B[zz]C[RIGHT])(;B[dd])", {"D2": False}),
    "words of Hex": ("(;B[swap])(;B[resign])(;B[dd])", {"D2": None}),
    "a pass": ("(;B[])(;B[dd])", {"pass": True, "D2": None}),
    "both sides": ("(;B[cc])(;W[dd]C[+])", {"C3": False, "D2": True}),
    "a comment before it": ("C[The correct answer?](;B[cc])(;B[dd])", {"C3": True, "D2": None}),
    "in the node of the stones": ("B[cc]C[+](;W[dd])(;W[ee])", {"C3": True}),
    "two comments": ("(;B[cc])(;B[dd]C[x];W[ee]N[RIGHT]C[+])", {"C3": False, "D2": True}),
    "escapes": ("(;B[cc])(;B[dd]C[RI\\\nGHT \\]])", {"C3": False, "D2": True}),
}


@pytest.mark.parametrize("name", MARKED)
def test_the_marks_of_a_record(name):
    text, expected = MARKED[name]
    assert solution(text) == expected
