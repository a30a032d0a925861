"""What scripts share whose tests are functions named test_a_sentence(tmp), tmp being an empty folder: running them."""
import pathlib
import tempfile


class Skip(Exception):
    pass


def run_tests(names):
    """Runs those of a module's globals() and ends with "N passed, N failed, N skipped"; returns the exit code."""
    passed = failed = skipped = 0
    for name, test in sorted(names.items()):
        if not name.startswith("test_"): continue
        with tempfile.TemporaryDirectory() as folder:
            try: test(pathlib.Path(folder)); passed += 1
            except Skip: skipped += 1
            except Exception as fault: failed += 1; print(f"FAILED {name[5:].replace('_', ' ')}: {fault}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0)
