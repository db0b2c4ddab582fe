import { describe, expect, it } from 'vitest';
import type { CommentStyle } from '../../../../../examples/review/model/rules/file-kind.ts';
import { findOpenMark } from '../../../../../examples/review/model/rules/open-mark.ts';

describe('findOpenMark', () => {
  it.each<[CommentStyle, string, string, string]>([
    ['slash', '// TODO: drop it', 'TODO', 'drop it'],
    ['slash', '  x(); // FIXME(ada): wrong', 'FIXME', '(ada) wrong'],
    ['slash', '/* HACK - works */ y();', 'HACK', 'works'],
    ['slash', ' * @TODO say why', 'TODO', 'say why'],
    ['slash', '//TODO', 'TODO', ''],
    ['slash', "const s = 'a'; // TODO: b", 'TODO', 'b'],
    ['slash', "// it's done, or // TODO: is it", 'TODO', 'is it'],
    ['hash', '# XXX: why', 'XXX', 'why'],
    ['dash', '-- TODO index', 'TODO', 'index'],
    ['markup', '<!-- TODO: explain -->', 'TODO', 'explain'],
    ['markup', '- [ ] TODO: explain', 'TODO', 'explain'],
    ['markup', 'TODO: explain', 'TODO', 'explain'],
    ['none', '; TODO: set', 'TODO', 'set'],
  ])('in %s finds the mark of %j', (style, line, mark, text) => {
    expect(findOpenMark(line, style)).toEqual({ mark, text });
  });

  it.each<[CommentStyle, string]>([
    ['slash', "const text = '// TODO: not one';"],
    ['slash', 'const text = `# ${x} // TODO: not one`;'],
    ['slash', 'const TODO = 1;'],
    ['slash', '// see the TODO list'],
    ['slash', '// TODOS are fun'],
    ['slash', '// todo: lower case is prose'],
    ['slash', 'const pattern = /TODO|FIXME/;'],
    ['hash', 'print("# TODO: not one")'],
    ['markup', 'Open TODO marks are found.'],
    ['markup', '- TODO lists are fun'],
    ['markup', '`TODO` is a mark'],
    ['none', 'TODO'],
  ])('in %s finds none in %j', (style, line) => {
    expect(findOpenMark(line, style)).toBeUndefined();
  });
});
