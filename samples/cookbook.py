"""Draws the cookbook's pictures from the sample logs: `make cookbook`.

Usage: python samples/cookbook.py WAREHOUSE
"""

import sys
from pathlib import Path

import altair as alt
import polars as pl
import polars.selectors as cs

from pipelines.cookbook import FOLDER, Recipe, recipes
from pipelines.docs import main as write_pages
from warehouse.layout import Warehouse
from warehouse.query import run_query

_WIDTH = 420
_ROW = 26  # pixels a row of a chart with names down its side


def main(warehouse: Warehouse) -> None:
    """Run every query and write its picture, then the pages."""
    for recipe in recipes():
        answer = run_query(warehouse, recipe.sql)
        draw(recipe, answer).save(recipe.picture)
        print(f"{recipe.picture.relative_to(FOLDER.parents[1])}: {answer.height} rows")
    write_pages()


def draw(recipe: Recipe, answer: pl.DataFrame) -> alt.LayerChart | alt.Chart:
    """Draw one answer.

    Args:
        recipe: What to draw.
        answer: The query's answer, with the columns that the recipe's chart names.
    """
    chart = recipe.chart
    shown = answer.select(list(dict.fromkeys(recipe.columns)))
    data = alt.Data(values=shown.with_columns(cs.date().cast(pl.String)).to_dicts())
    names = answer[chart["y"]].n_unique()
    base = alt.Chart(data)
    if chart["kind"] == "interval":
        made = _intervals(base, chart, answer).properties(height=names * _ROW)
    elif chart["kind"] == "heat":
        made = _heat(base, chart, answer).properties(height=names * _ROW)
    elif chart["kind"] == "line":
        made = _line(base, chart, answer).properties(height=220)
    else:
        made = _bars(base, chart, answer)
        made = made.properties(height=names * _ROW if _is_name(answer, chart["y"]) else 220)
    return made.properties(width=_WIDTH, background="white").configure_view(stroke=None).configure_axis(grid=False)


def _intervals(base: alt.Chart, chart: dict[str, str], answer: pl.DataFrame) -> alt.LayerChart:
    order = list(dict.fromkeys(answer[chart["y"]]))
    y = alt.Y(chart["y"], type="nominal", sort=order, title=None)
    apart = {}
    if "colour" in chart:
        apart = {
            "color": alt.Color(chart["colour"], type="nominal", title=None),
            "yOffset": alt.YOffset(chart["colour"], type="nominal"),
        }
    x = alt.X(chart["low"], type="quantitative", title=chart["x"], axis=alt.Axis(format="%"))
    rule = base.mark_rule(strokeWidth=2).encode(x=x, x2=chart["high"], y=y, **apart)
    point = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X(chart["x"], type="quantitative"), y=y, **apart
    )
    return rule + point


def _heat(base: alt.Chart, chart: dict[str, str], answer: pl.DataFrame) -> alt.LayerChart:
    top = answer[chart["colour"]].max()
    where = {
        "x": alt.X(chart["x"], type="nominal", title=None, axis=alt.Axis(labelAngle=0)),
        "y": alt.Y(chart["y"], type="nominal", title=None),
    }
    share = isinstance(top, float) and top <= 1
    shade = alt.Color(
        chart["colour"], type="quantitative", title=chart["colour"], scale=alt.Scale(scheme="blues", domainMin=0)
    )
    middle = float(top or 0) / 2
    ink = alt.when(f"datum['{chart['colour']}'] > {middle}").then(alt.value("white")).otherwise(alt.value("black"))
    text = base.mark_text().encode(
        **where, text=alt.Text(chart["colour"], type="quantitative", format=".0%" if share else ".1f"), color=ink
    )
    return base.mark_rect().encode(**where, color=shade) + text


def _line(base: alt.Chart, chart: dict[str, str], answer: pl.DataFrame) -> alt.Chart:
    whole = answer[chart["y"]].dtype.is_integer()
    coloured = {"color": alt.Color(chart["colour"], type="nominal", title=None)} if "colour" in chart else {}
    return base.mark_line(point=True).encode(
        x=alt.X(chart["x"], type="ordinal", axis=alt.Axis(labelAngle=0)),
        y=alt.Y(chart["y"], type="quantitative", axis=alt.Axis(format="d" if whole else "%")),
        **coloured,
    )


def _bars(base: alt.Chart, chart: dict[str, str], answer: pl.DataFrame) -> alt.Chart:
    coloured = {"color": alt.Color(chart["colour"], type="nominal", title=chart["colour"])} if "colour" in chart else {}
    if _is_name(answer, chart["y"]):
        order = list(dict.fromkeys(answer[chart["y"]]))
        return base.mark_bar().encode(
            x=alt.X(chart["x"], type="quantitative", axis=_whole_steps(answer, chart["x"])),
            y=alt.Y(chart["y"], type="nominal", sort=order, title=None),
            **coloured,
        )
    x = alt.X(chart["x"], type="ordinal", axis=alt.Axis(labelAngle=0))
    return base.mark_bar().encode(x=x, y=alt.Y(chart["y"], type="quantitative"), **coloured)


def _whole_steps(answer: pl.DataFrame, column: str) -> alt.Axis:
    return alt.Axis(tickMinStep=1, format="d") if answer[column].dtype.is_integer() else alt.Axis()


def _is_name(answer: pl.DataFrame, column: str) -> bool:
    return answer[column].dtype == pl.String or column == "rank"


if __name__ == "__main__":
    main(Warehouse(Path(sys.argv[1])))
