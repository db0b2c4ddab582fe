import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAgent } from '../../../../src/cli/agent/load-agent.ts';
import { nearestAgent } from '../../../../src/cli/agent/nearest-agent.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-nearest-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Files that would throw if they were loaded. */
function add(...names: readonly string[]): void {
  for (const name of names)
    writeFileSync(join(folder, name), 'throw new Error(); export default defineAgent({});');
}

const near = (name: string): string | undefined => nearestAgent(join(folder, name));

describe('the agent that was probably meant', () => {
  it.each([
    ['agnet.ts', 'agent.ts'],
    ['agent.js', 'agent.ts'],
    ['agent', 'agent.ts'],
    ['reviewr.ts', 'reviewer.mts'],
    ['something-else-entirely.ts', undefined],
  ])('for %s is the one with the most similar name: %s', (name, found) => {
    add('agent.ts', 'reviewer.mts', 'agent.test.ts', 'agents.d.ts');
    writeFileSync(join(folder, 'agnets.ts'), 'export const nothing = 1;');
    expect(near(name)).toBe(found === undefined ? undefined : join(folder, found));
  });

  it('is the only one where no name is similar', () => {
    add('agent.ts');
    expect(near('main.ts')).toBe(join(folder, 'agent.ts'));
  });

  it('is none for a file that is there, and where nothing can be read', () => {
    add('agent.ts', 'agents.ts');
    expect(near('agents.ts')).toBeUndefined();
    expect(near('none/agent.ts')).toBeUndefined();
    mkdirSync(join(folder, 'agent'));
    expect(near('agent')).toBe(join(folder, 'agent.ts'));
  });

  it('ends the message about the one that is not there', async () => {
    add('agent.ts');
    await expect(loadAgent(join(folder, 'agnet.ts'))).rejects.toThrow(
      `the agent "${folder}/agnet.ts" cannot be read: no such file or directory. Did you mean "${folder}/agent.ts"?`,
    );
    await expect(loadAgent(join(folder, 'agent'))).rejects.toThrow(
      `name a file (.ts, .mts, .js, .mjs) that exports one. Did you mean "${folder}/agent.ts"?`,
    );
  });
});
