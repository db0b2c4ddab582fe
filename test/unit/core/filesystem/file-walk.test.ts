import { describe, expect, it } from 'vitest';
import {
  type DirectoryNode,
  emptyDirectory,
  fileNode,
  withChild,
} from '../../../../src/core/filesystem/content/tree-node.ts';
import { compileGlob } from '../../../../src/core/filesystem/index.ts';
import { walkFiles } from '../../../../src/core/filesystem/tree/file-walk.ts';

/** Directories in each other, as deep as asked, each with a file beside the next. */
function deepTree(depth: number): DirectoryNode {
  let tree = emptyDirectory;
  for (let level = 0; level < depth; level += 1) {
    tree = withChild(withChild(emptyDirectory, 'd', tree), 'f', fileNode(new Uint8Array(), 0));
  }
  return tree;
}

function walk(tree: DirectoryNode, path: string, pattern?: string): { steps: number; files: number } {
  let [steps, files] = [0, 0];
  for (const file of walkFiles(tree, path, pattern === undefined ? undefined : compileGlob(pattern))) {
    steps += 1;
    if (file !== undefined) files += 1;
  }
  return { steps, files };
}

describe('walkFiles', () => {
  it.each([
    ['.', undefined, 64],
    ['.', '**/f', 64],
    ['a/b', undefined, 62],
    [Array.from({ length: 64 }, () => 'd').join('/'), undefined, 0],
    ['.', 'd/d/*', 1],
    ['.', '*/f', 1],
  ])('from %s with %s enters only what a path can name and a match can be in', (path, pattern, files) => {
    const shallow = walk(deepTree(100), path, pattern);
    expect(shallow.files).toBe(files);
    // An entry for each file and one for the directory beside it.
    expect(shallow.steps).toBeLessThanOrEqual(2 * 64);
    expect(walk(deepTree(3000), path, pattern)).toEqual(shallow);
  });

  it('takes one step for each entry', () => {
    const wide = Array.from({ length: 1000 }, (_, index) => `f${index}`).reduce(
      (tree, name) => withChild(tree, name, fileNode(new Uint8Array(), 0)),
      emptyDirectory,
    );
    expect(walk(wide, '.', 'f1*')).toEqual({ steps: 1000, files: 111 });
    expect(walk(wide, '.', '{f1,f2}/*')).toEqual({ steps: 1000, files: 0 });
    expect(walk(wide, '.', 'f1')).toEqual({ steps: 1000, files: 1 });
  });
});
