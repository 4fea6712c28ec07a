"""multiprocessing: a process, its exit code, a pipe"""
import multiprocessing


def work(pipe):
    pipe.send(sum(range(10)))
    pipe.close()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,))
    process.start()
    assert ours.recv() == 45
    process.join(20)
    assert process.exitcode == 0
