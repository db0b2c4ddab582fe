import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extractCodeBlocks } from '../docs/code-blocks.ts';
import { userDocuments } from '../docs/documents.ts';
import { type GeneratedModules, generateModules } from '../docs/generated-modules.ts';

/** What the tests of the documents compile only: the package that it needs is a peer of the sandboxes. */
const blocks = userDocuments()
  .flatMap(({ file, text }) => extractCodeBlocks(file, text).blocks)
  .filter(({ isRun, needs }) => isRun && needs === 'just-bash');

describe('code in guides that needs just-bash', () => {
  let modules: GeneratedModules;

  beforeAll(async () => {
    modules = await generateModules(blocks);
  });
  afterAll(() => modules[Symbol.asyncDispose]());

  it.each(blocks.map((block) => [`${block.file}:${block.line}`, block] as const))(
    '%s runs',
    async (_name, block) => {
      await expect(import(/* @vite-ignore */ modules.pathOf(block))).resolves.toBeDefined();
    },
  );
});
