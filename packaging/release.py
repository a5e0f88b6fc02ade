"""What goes with the files of a release: python packaging/release.py FOLDER.

Writes ``SHA256SUMS`` (checked by ``sha256sum -c``) and ``parzen.cdx.json``, a bill of materials in CycloneDX 1.5:
parzen with the hash of each file, and the libraries that it needs with the versions that it accepts. The wheels hold
compiled code of parzen alone, and of the compiler's runtime library where that is linked statically. The same files
give the same text.
"""

import argparse
import hashlib
import json
import uuid
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Any


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of each wheel and source archive, by name."""
    files = sorted(path for path in folder.iterdir() if path.name.endswith((".whl", ".tar.gz")))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def metadata(wheel: Path) -> dict[str, list[str]]:
    """The headers of a wheel's METADATA."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        headers = HeaderParser().parsestr(archive.read(name).decode())
    return {key: headers.get_all(key, []) for key in ("Name", "Version", "License-Expression", "Requires-Dist")}


def component(requirement: str) -> dict[str, Any]:
    """A needed library: its name, and the versions that are accepted (those in an extra are optional)."""
    text, _, marker = requirement.partition(";")
    name = text.strip().split("[")[0]
    for sign in "<>=!~ ":
        name = name.split(sign)[0]
    accepted = {"name": "parzen:accepts", "value": text.strip().removeprefix(name) or "any version"}
    extra = [{"name": "parzen:only", "value": marker.strip()}] if marker else []
    scope = "optional" if "extra" in marker else "required"
    return {
        "type": "library", "bom-ref": requirement, "name": name, "purl": f"pkg:pypi/{name.lower()}", "scope": scope,
        "properties": [accepted, *extra],
    }  # fmt: skip


def bill(told: dict[str, list[str]], files: dict[str, str]) -> dict[str, Any]:
    """The bill of materials of a release."""
    name, version = told["Name"][0], told["Version"][0]
    reference = f"pkg:pypi/{name}@{version}"
    needed = [component(text) for text in dict.fromkeys(told["Requires-Dist"]) if not text.startswith(name)]
    made = [
        {"type": "file", "bom-ref": file, "name": file, "hashes": [{"alg": "SHA-256", "content": digest}]}
        for file, digest in files.items()
    ]
    whole = {"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference}
    whole |= {"licenses": [{"expression": told["License-Expression"][0]}], "components": made}
    required = [part["bom-ref"] for part in needed if part["scope"] == "required"]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, reference + ''.join(files.values()))}",
        "metadata": {"component": whole},
        "components": needed,
        "dependencies": [{"ref": reference, "dependsOn": required}],
    }  # fmt: skip


def main() -> None:
    """Write both files into the folder of the wheels."""
    parser = argparse.ArgumentParser(description="Hashes and a bill of materials of a release.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    files = hashes(folder)
    wheels = [name for name in files if name.endswith(".whl")]
    if not wheels:
        raise SystemExit(f"{folder} holds no wheel; 'make wheels' builds them.")
    told = [metadata(folder / wheel) for wheel in wheels]
    if any(other != told[0] for other in told):
        raise SystemExit(f"the wheels in {folder} are not of one version: {', '.join(wheels)}; remove the old ones.")
    (folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in files.items()))
    (folder / "parzen.cdx.json").write_text(json.dumps(bill(told[0], files), indent=2) + "\n")
    print(f"{folder}/SHA256SUMS and {folder}/parzen.cdx.json: {len(files)} files of parzen {told[0]['Version'][0]}")


if __name__ == "__main__":
    main()
