"""Draws how often what was given a probability is true: a reliability diagram, as SVG, without any library."""

import numpy as np

_SIZE, _EDGE, _BINS, _LEAST = 150, 26, 10, 5
_COLOUR = "#2458a6"


def calibration_error(y: np.ndarray, p: np.ndarray) -> float:
    """Expected calibration error over ten bins of equal width."""
    bins = np.minimum((p * 10).astype(int), 9)
    return float(sum(abs(p[bins == b].sum() - y[bins == b].sum()) for b in range(10)) / len(y))


def diagram(curves: dict[str, tuple[np.ndarray, np.ndarray]]) -> str:
    """Draw one panel a model: mean probability against share of true ones, in ten bins, with 95 % Wilson intervals.

    Args:
        curves: Model name to truth (0 or 1) and probability, by rows that the model had not seen.

    Returns:
        The picture. Bins of fewer than five rows are left out.
    """
    width, height = len(curves) * (_SIZE + _EDGE) + _EDGE, _SIZE + 2 * _EDGE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
    )
    parts = [head]
    for number, (name, (truth, p)) in enumerate(curves.items()):
        left = _EDGE + number * (_SIZE + _EDGE)
        parts.append(f'<g transform="translate({left} {_EDGE})">{_panel(name, truth, p)}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(name: str, truth: np.ndarray, p: np.ndarray) -> str:
    made = [
        f'<text y="-8">{name}, error {calibration_error(truth, p):.3f}</text>',
        f'<rect width="{_SIZE}" height="{_SIZE}" fill="none" stroke="#999"/>',
        f'<line x1="0" y1="{_SIZE}" x2="{_SIZE}" y2="0" stroke="#bbb" stroke-dasharray="3 3"/>',
        f'<text x="0" y="{_SIZE + 14}" fill="#555">0</text>',
        f'<text x="{_SIZE}" y="{_SIZE + 14}" fill="#555" text-anchor="end">probability 1</text>',
    ]
    bins = np.minimum((p * _BINS).astype(int), _BINS - 1)
    for b in range(_BINS):
        mine = bins == b
        n = int(mine.sum())
        if n < _LEAST:
            continue
        share, x = float(truth[mine].mean()), float(p[mine].mean()) * _SIZE
        middle = (share + 1.92 / n) / (1 + 3.84 / n)
        half = 1.96 * ((share * (1 - share) + 0.96 / n) / n) ** 0.5 / (1 + 3.84 / n)
        low, high = (_SIZE * (1 - v) for v in (middle - half, middle + half))
        made.append(f'<line x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}" stroke="{_COLOUR}"/>')
        made.append(f'<circle cx="{x:.1f}" cy="{_SIZE * (1 - share):.1f}" r="3" fill="{_COLOUR}"/>')
    return "".join(made)
