import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEventLog } from '../../../../src/cli/agent/event-log.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('openEventLog', () => {
  it('replaces the file, writes each line at once, and is readable for its owner only', () => {
    const path = join(folder, 'run.jsonl');
    const log = openEventLog(path);
    log.write('{"a":1}');
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n');
    log.write('{"b":"ü"}');
    expect(log.close()).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"b":"ü"}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, 'a much longer text than what follows\n');
    openEventLog(path).close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('has neither the permissions nor the other names of a file that was there', () => {
    const path = join(folder, 'run.jsonl');
    writeFileSync(path, 'older\n');
    chmodSync(path, 0o666);
    linkSync(path, join(folder, 'other-name'));
    const log = openEventLog(path);
    log.write('{"a":1}');
    log.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'other-name'), 'utf8')).toBe('older\n');
  });

  it('does not follow a link', () => {
    const target = join(folder, 'of-others');
    writeFileSync(target, 'theirs\n');
    for (const [name, leads] of [
      ['to-a-file', target],
      ['to-nothing', join(folder, 'nothing')],
    ] as const) {
      symlinkSync(leads, join(folder, name));
      expect(() => openEventLog(join(folder, name))).toThrow('is a symbolic link: name the file itself.');
    }
    expect(readFileSync(target, 'utf8')).toBe('theirs\n');
    expect(existsSync(join(folder, 'nothing'))).toBe(false);
  });

  it('can be a device', () => {
    const log = openEventLog('/dev/null');
    log.write('{"a":1}');
    expect(log.close()).toBeUndefined();
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it.each([
    ['missing/run.jsonl', 'no such file or directory'],
    ['sub', 'it is a directory'],
    ['file/run.jsonl', 'a part of its path is not a directory'],
  ])('refuses %s in one line', (name, words) => {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'file'), '');
    const open = (): unknown => openEventLog(join(folder, name));
    expect(open).toThrow(UsageError);
    expect(open).toThrow(`cannot be written: ${words}.`);
  });

  it('says at the end that it is incomplete when the disk refuses later', () => {
    const log = openEventLog('/dev/full');
    log.write('{"a":1}');
    log.write('{"b":1}');
    expect(log.close()).toBe('the log "/dev/full" is incomplete: no space is left on the device.');
  });
});
