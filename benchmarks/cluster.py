"""What a lost worker costs: a run on a Ray cluster of two nodes, whose node is killed.

All is on this machine; the nodes are what Ray calls so, with Ray's own patience.

    python benchmarks/cluster.py    # writes results/benchmark-cluster.json
"""

import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ray.cluster_utils import Cluster

from elect.experiments import Run, on_ray
from elect.experiments.run_attempts import about, attempts
from elect.experiments.run_board import run_status
from elect.experiments.runs import RUNS
from elect.objectives import mimic
from elect.training.defaults import default_recipe
from record import record

SEED = 2026
STEPS, EVERY, KILLED = 300, 20, 100
RECIPE = default_recipe([mimic("plurality")], "mlp", "small", steps=STEPS, seed=SEED)


def kill(cluster: Cluster, folder: Path, clock: dict[str, Any]) -> None:
    """Kill the node that has the run once it has come some way; note when it goes on elsewhere."""
    wait(lambda: run_status(folder).attempt == 1)
    clock["begun"] = time.time()
    wait(lambda: run_status(folder).step >= KILLED)
    worker = int(about(attempts(folder)[1])["worker"].split()[-1])
    raylet = int(Path(f"/proc/{worker}/stat").read_text().rsplit(")")[-1].split()[1])
    (node,) = [n for n in cluster.worker_nodes if raylet in processes(n)]
    clock["step"], clock["killed"] = run_status(folder).step, time.time()
    cluster.remove_node(node, allow_graceful=False)
    wait(lambda: 2 in attempts(folder) and about(attempts(folder)[2]))
    clock["again"] = time.time()
    clock["from"] = about(attempts(folder)[2])["from_step"]


def processes(node: Any) -> set[int]:
    return {info.process.pid for infos in node.all_processes.values() for info in infos}


def wait(until: Any) -> None:
    while not until():
        time.sleep(0.02)


def main() -> None:
    run = Run("run", replace(RECIPE, checkpoint_every=EVERY))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    with TemporaryDirectory() as out:
        clock: dict[str, Any] = {"asked": time.time()}
        arguments = (cluster, Path(out) / RUNS / run.name, clock)
        threading.Thread(target=kill, args=arguments, daemon=True).start()
        list(on_ray(cluster.address)([run], Path(out)))
        clock["finished"] = time.time()
    cluster.shutdown()
    measured = {
        "steps": STEPS,
        "checkpoint_every": EVERY,
        "seconds_until_a_run_begins": round(clock["begun"] - clock["asked"], 1),
        "seconds_until_a_lost_run_goes_on": round(clock["again"] - clock["killed"], 1),
        "killed_after_step": clock["step"],
        "went_on_from_step": clock["from"],
        "load": [round(load, 1) for load in os.getloadavg()],
    }
    print(measured)
    print("written to", record("benchmark-cluster", SEED, measured))


if __name__ == "__main__":
    main()
