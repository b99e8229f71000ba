import subprocess
import sys


def test_the_process_that_hands_out_the_work_loads_no_networks():
    code = "import sys, medveil.release.clean.run; sys.exit('torch' in sys.modules or 'openvino' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
