package standalone

import "testing"

// What is left out, and beside each a near miss that stays.
func TestKept(t *testing.T) {
	for name, want := range map[string]bool{
		"bin/python3.12": true, "bin/python3": true, "bin/python3-config": false, "bin/pip3": false, "bin/2to3": false,
		"include/python3.12/Python.h": false, "share/man/man1/python3.1": false, "LICENSE.txt": true, "python.exe": true, "python312.dll": true,
		"lib/libpython3.12.so.1.0": true, "lib/libtcl9.0.so": false, "lib/tcl8.6/init.tcl": false, "lib/pkgconfig/python3.pc": false, "lib/libpython3.12.a": false,
		"lib/python3.12/LICENSE.txt": true, "lib/python3.12/os.py": true, "lib/python3.12/unittest/case.py": true,
		"lib/python3.12/test/test_os.py": false, "lib/python3.12/lib2to3/tests/a.py": false, "lib/python3.12/lib2to3/main.py": true,
		"lib/python3.12/tkinter/__init__.py": false, "lib/python3.12/turtle.py": false, "lib/python3.12/idlelib/a.py": false,
		"lib/python3.12/ensurepip/__init__.py": false, "lib/python3.12/site-packages/pip/a.py": false, "lib/python3.12/config-3.12-x86_64-linux-gnu/Makefile": false,
		"lib/python3.12/configparser.py": true, "lib/python3.12/lib-dynload/_ssl.so": true, "lib/python3.12/lib-dynload/_testcapi.so": false, "lib/python3.12/lib-dynload/_tkinter.so": false,
		"Lib/os.py": true, "Lib/test/test_os.py": false, "Lib/site-packages/pip/a.py": false, "DLLs/_ssl.pyd": true, "DLLs/_tkinter.pyd": false, "DLLs/tcl86t.dll": false,
		"DLLs/libssl-3.dll": true, "DLLs/_testcapi.pyd": false, "Scripts/pip.exe": false, "tcl/tcl8.6/init.tcl": false, "libs/python312.lib": false,
	} {
		if got := Kept(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
