"""A regular file is written whole or not at all; links are followed, and what is no regular file is written to."""

import errno
import os
import stat

import numpy as np
import pytest

from parzen import ModelFileError, load, save
from parzen.storage import files
from parzen.storage.files import remove_unfinished, write_whole


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # both ends, so that nothing waits
    try:
        save([1, 2, 3], pipe)
        assert stat.S_ISFIFO(pipe.lstat().st_mode)
        (tmp_path / "copy").write_bytes(os.read(held, 10_000))
    finally:
        os.close(held)
    assert load(tmp_path / "copy") == [1, 2, 3]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy", "pipe"]


def test_a_device_is_written_to_and_stays_a_device(tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # a copy of the null device, for no one else's harm
        device.open("wb").close()
    except PermissionError:
        pytest.skip("devices can't be made here")
    write_whole(device, b"x" * 1000)
    assert stat.S_ISCHR(device.lstat().st_mode)
    assert list(tmp_path.iterdir()) == [device]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(tmp_path, there):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "model", tmp_path / "link"
    if there:
        target.write_bytes(b"old")
    link.symlink_to("elsewhere/model")
    (tmp_path / "second").symlink_to(link)
    save([1], tmp_path / "second")
    assert link.is_symlink()
    assert (tmp_path / "second").is_symlink()
    assert load(target) == load(link) == [1]


def test_links_in_a_circle_are_an_error(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError) as raised:  # noqa: PT011
        write_whole(tmp_path / "a", b"x")
    assert raised.value.errno == errno.ELOOP  # the text is the system's
    assert (tmp_path / "a").is_symlink()


def test_a_file_keeps_its_mode_and_a_new_one_has_the_usual(tmp_path):
    path = tmp_path / "model"
    (tmp_path / "usual").touch()
    save([1], path)
    assert path.stat().st_mode == (tmp_path / "usual").stat().st_mode
    path.chmod(0o640)
    save([2], path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    save([3], tmp_path / ("n" * 255))  # the longest name that a folder takes


def test_a_folder_is_an_error(tmp_path):
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"x")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to any file")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


def test_what_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "model"
    save([1], path)

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        save([2], path)
    assert load(path) == [1]
    assert list(tmp_path.iterdir()) == [path]


def test_a_process_that_ends_at_once_leaves_no_unfinished_file(tmp_path, monkeypatch):
    def end(_):
        remove_unfinished()
        assert list(tmp_path.iterdir()) == []
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", end)
    with pytest.raises(KeyboardInterrupt):
        save(np.arange(3), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_only_regular_files_are_read(tmp_path):
    """Before they are opened: a pipe that no one writes to would never answer, and a device never end."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe' is a device or a pipe"):
        load(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="'/dev/zero' is a device or a pipe"):
        load("/dev/zero")
    save([1], tmp_path / "model")
    (tmp_path / "link").symlink_to(tmp_path / "model")
    assert load(tmp_path / "link") == [1]
