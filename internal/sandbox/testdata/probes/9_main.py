for place in A["places"]:
    if not place.get("alone"): say(forked(place))
    else:
        say({"probe": place["probe"], "begun": True})
        say(attempt(place))
sys.stdout.flush()
