"""asyncio: tasks, threads, timeouts, a subprocess"""
import asyncio
import sys


async def main():
    assert await asyncio.gather(asyncio.sleep(0.01, 1), asyncio.sleep(0.01, 2)) == [1, 2]
    assert await asyncio.get_running_loop().run_in_executor(None, len, "abc") == 3
    try:
        await asyncio.wait_for(asyncio.sleep(60), 0.01)
    except asyncio.TimeoutError:
        pass
    process = await asyncio.create_subprocess_exec(sys.executable, "-I", "-S", "-c", "print(6 * 7)", stdout=asyncio.subprocess.PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), 20)
    assert out == b"42\n"


asyncio.run(main())
