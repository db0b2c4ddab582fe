import { describe, expect, it } from 'vitest';
import type { RecordedCall, RecordedContent, RecordedFileChange } from 'weakincentives/record';
import { FileTimeline } from '../../../../src/record/fold/file-timeline.ts';

// Of a call only who it is matters.
const callNamed = (id: string): RecordedCall => ({ id }) as unknown as RecordedCall;
const [first, second] = [callNamed('first'), callNamed('second')];
const content = (text: string): RecordedContent => ({ hash: `#${text}`, bytes: text.length, text });

const file = (
  kind: RecordedFileChange['kind'],
  path: string,
  text?: string,
  more: Partial<RecordedFileChange> = {},
): RecordedFileChange => ({
  path,
  kind,
  entry: 'file',
  ...(text === undefined ? {} : { after: content(text) }),
  ...more,
});

const blameOf = (files: FileTimeline, path: string, seq: number): readonly string[] =>
  files.blame(path, seq).map(({ text, writtenBy }) => `${text} ${writtenBy?.id ?? 'start'}`);

describe('the files of a record', () => {
  it('after each commit are those that were seen or written, by path', () => {
    const files = new FileTimeline();
    files.seen('b.md', content('b'));
    files.seen('none.md', undefined);
    files.commit(1, [file('created', 'a.md', 'a'), file('removed', 'b.md')], first);
    const at = (seq: number) =>
      files.at(seq).map((each) => `${each.path} ${each.content.text} ${each.isChanged}`);
    expect(at(0)).toEqual(['b.md b false']);
    expect(at(1)).toEqual(['a.md a true']);
    files.commit(2, [file('modified', 'a.md', 'a2'), file('created', 'b.md', 'B')], second);
    expect(at(2)).toEqual(['a.md a2 true', 'b.md B true']);
    expect(at(1)).toEqual(['a.md a true']);
  });

  it('have no directories', () => {
    const files = new FileTimeline();
    files.commit(1, [{ path: 'folder', kind: 'created', entry: 'directory' }], first);
    expect(files.at(1)).toEqual([]);
  });

  it('have what was there at the start also when a row says so after the first change', () => {
    const files = new FileTimeline();
    files.commit(1, [file('modified', 'a.md', 'one\ntwo\n')], first);
    files.seen('a.md', content('one\n'));
    files.seen('a.md', content('never\n'));
    expect(files.at(0).map(({ content: { text } }) => text)).toEqual(['one\n']);
    expect(blameOf(files, 'a.md', 1)).toEqual(['one start', 'two first']);
  });

  it('know who wrote each line', () => {
    const files = new FileTimeline();
    files.seen('a.md', content('1\n2\n3\n'));
    files.commit(1, [file('modified', 'a.md', '1\nnew\n3\n')], first);
    files.commit(2, [file('modified', 'a.md', '0\n1\nnew\n')], second);
    expect(blameOf(files, 'a.md', 0)).toEqual(['1 start', '2 start', '3 start']);
    expect(blameOf(files, 'a.md', 1)).toEqual(['1 start', 'new first', '3 start']);
    expect(blameOf(files, 'a.md', 2)).toEqual(['0 second', '1 start', 'new first']);
    expect(blameOf(files, 'none.md', 2)).toEqual([]);
  });

  it('take the writers of lines along when a file is moved', () => {
    const files = new FileTimeline();
    files.seen('a.md', content('1\n'));
    files.commit(1, [file('modified', 'a.md', '1\n2\n')], first);
    files.commit(2, [file('removed', 'a.md'), file('created', 'b.md', '1\n2\n', { from: 'a.md' })], second);
    expect(blameOf(files, 'b.md', 2)).toEqual(['1 start', '2 first']);
    expect(blameOf(files, 'a.md', 2)).toEqual([]);
  });

  it('have no lines where the content is not text, or not kept', () => {
    const files = new FileTimeline();
    files.commit(
      1,
      [{ path: 'a', kind: 'created', entry: 'file', after: { hash: 'h', bytes: 1, base64: 'AA==' } }],
      first,
    );
    expect(blameOf(files, 'a', 1)).toEqual([]);
    expect(files.at(1)).toHaveLength(1);
  });
});
