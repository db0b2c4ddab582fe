import { describe, expect, it } from 'vitest';
import {
  callsBefore,
  callsOf,
  changedFiles,
  fileCount,
  projectFiles,
  toolNames,
  turnCount,
} from '../../bench/trace/script.ts';
import { Project } from '../../bench/trace/tools.ts';

describe('the trace of a coding agent', () => {
  it('has 800 calls in 200 turns, two to six of them in each', () => {
    expect(callsBefore(turnCount)).toBe(800);
    const counts = Array.from({ length: turnCount }, (_, turn) => callsOf(turn, fileCount).length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([2, 6]);
  });

  it('reads what the turn before has written, and every result has the word that its call expects', async () => {
    const project = new Project(projectFiles(fileCount));
    let rereads = 0;
    for (let turn = 0; turn < turnCount; turn += 1) {
      for (const call of callsOf(turn, fileCount)) {
        expect(await run(project, call), call.id).toContain(call.expected);
        if (call.expected.startsWith('Changed')) rereads += 1;
      }
    }
    expect(project.calls).toBe(800);
    expect(rereads).toBeGreaterThan(50);
    for (const [path, content] of Object.entries(changedFiles(turnCount, fileCount))) {
      expect(project.contentOf(path)).toBe(content);
    }
  });

  it('finds a wrong file', async () => {
    const project = new Project({});
    await expect(project.read({ path: 'src/none.ts' })).rejects.toThrow('There is no file src/none.ts.');
  });
});

function run(
  project: Project,
  { name, arguments: given }: ReturnType<typeof callsOf>[number],
): Promise<string> {
  const { path = '', text = '', folder = '' } = given;
  switch (name) {
    case toolNames.read:
      return project.read({ path });
    case toolNames.write:
      return project.write({ path, text });
    case toolNames.search:
      return project.search({ folder, text });
  }
}
