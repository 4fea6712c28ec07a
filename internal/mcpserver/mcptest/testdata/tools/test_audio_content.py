# ---
# name: test_audio_content
# version: 1.0.0
# description: Answer with a moment of silence as a sound.
# inputs: []
# outputs:
#   type: string
#   description: The sound in base64.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# x-examples:
#   - "Try a moment of silence for me."
#   - "Does a moment of silence work here?"
#   - "Show me a moment of silence once more."
# x-media: audio/wav
# ---
import base64
import io
import json
import sys
import wave


def main():
    sound = io.BytesIO()
    with wave.open(sound, "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(1)
        w.setframerate(8000)
        w.writeframes(bytes([128]) * 80)
    return base64.b64encode(sound.getvalue()).decode()


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.stdin.read()))))
