import { describe, expect, it } from 'vitest';
import type { CodeBlock } from './code-blocks.ts';
import { generateModules } from './generated-modules.ts';

const block = (line: number, code: string): CodeBlock => ({
  file: 'guides/sample.md',
  line,
  code,
  isRun: true,
});

describe('generateModules', () => {
  it('reports a type error at its line of the document and nothing for the block beside it', async () => {
    const wrong = block(12, 'const size: number = 1;\nconst name: string = size;');
    const right = block(30, 'const unused = [1].at(0);\nawait Promise.resolve();');
    await using modules = await generateModules([wrong, right]);
    const complaints = await modules.check();
    expect([...complaints.keys()]).toEqual([wrong]);
    expect(complaints.get(wrong)?.[0]).toMatch(/^guides\/sample\.md:13:7: error TS2322/);
  });

  it('checks with the strict settings of the project', async () => {
    const wrong = block(1, 'const first: string = ["a"].at(0) ?? ["b"][0];');
    await using modules = await generateModules([wrong]);
    expect((await modules.check()).get(wrong)?.[0]).toContain("'string | undefined' is not assignable");
  });

  it('leaves out a block that imports a package that is not installed', async () => {
    const absent = { ...block(1, "import { x } from '@scope/absent';\nx();"), needs: '@scope/absent' };
    const wrong = { ...block(9, 'const size: string = 1;'), needs: '@scope/absent' };
    await using modules = await generateModules([absent, wrong]);
    expect([...(await modules.check()).keys()]).toEqual([wrong]);
  });

  it('accepts that there is no block', async () => {
    await using modules = await generateModules([]);
    expect((await modules.check()).size).toBe(0);
  });
});
