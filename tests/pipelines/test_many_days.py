"""Keys that are empty, and days that are many: one row stays one row, and memory stays bounded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from quick import FIRST, land, make_quick, talk

from pipelines.night import run_night
from tests.conftest import settings_for
from warehouse.layout import Warehouse

DAYS, SOURCES = 400, 5
MEMORY = "512MB"
# A night over a year and more, in a process of its own, whose memory is its own too. The door is open and nothing is
# encoded or checked, so what is measured is reading, sorting, staging, publishing, the catalogue and the questions.
SCRIPT = """
import json, resource, sys
sys.path.insert(0, sys.argv[1])
import pytest
from quick import FIRST, make_quick
from pathlib import Path
from pipelines import night
from pipelines.night import run_night
from tests.conftest import settings_for
from warehouse import catalogue
from warehouse.catalogue import rebuild
from warehouse.layout import Warehouse
from warehouse.query import run_query
from warehouse.views import analyst_views

patch = pytest.MonkeyPatch()
make_quick(patch)
patch.setattr(night, "rebuild", rebuild)
opened = catalogue.open_database
patch.setattr(catalogue, "open_database", lambda **given: opened(**given | {"memory_limit": sys.argv[3]}))

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

folder = Path(sys.argv[2])
before = peak()
report = run_night(settings_for(folder, landing=folder / "landing", workers=1), [FIRST])
warehouse = Warehouse(folder / "warehouse")
for view in analyst_views():
    run_query(warehouse, f"SELECT count(*) FROM {view.name}", memory=sys.argv[3])
counted = run_query(warehouse, "SELECT source, count(*) AS n, count(DISTINCT dt) AS days FROM messages GROUP BY source")
print(json.dumps({"grew": peak() - before, "days": len(warehouse.days("messages")), "rows": sorted(counted.rows())}))
"""


def test_an_empty_model_in_a_record_is_refused_once_and_the_rest_goes_on(tmp_path, monkeypatch):
    make_quick(monkeypatch)
    empty = [record | {"model": ""} for record in talk("a", 0, turns=1)]
    land(tmp_path / "landing", FIRST, [*empty, *talk("b", 0, turns=1)])
    settings = settings_for(tmp_path, landing=tmp_path / "landing", workers=1)
    run_night(settings, [FIRST])
    warehouse = Warehouse(settings.warehouse)
    refused = warehouse.scan("quarantine", columns=["line", "field"]).collect()
    assert refused.select("line", "field").sort("line").rows() == [(1, "model"), (2, "model")]
    assert warehouse.scan("messages").collect()["conversation_id"].unique().to_list() == ["b"]


@pytest.mark.slow
def test_four_hundred_days_of_five_sources_fit_into_half_a_gigabyte(tmp_path):
    records = [
        record
        for day in range(DAYS)
        for source in range(SOURCES)
        for record in talk(f"{day}", -day, source=f"source-{source}")
    ]
    land(tmp_path / "landing", FIRST, records)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), str(tmp_path), MEMORY],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["days"] == DAYS
    assert found["rows"] == [[f"source-{n}", DAYS * 4, DAYS] for n in range(SOURCES)]
    assert found["grew"] < 512, "MiB over what the libraries take"
