"""webbrowser: there is none, and that is no error"""
import webbrowser

try:
    assert webbrowser.open("http://127.0.0.1:9/") is False
except webbrowser.Error:
    pass
