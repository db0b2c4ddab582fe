import { describe, expect, it } from 'vitest';
import type { AnyTool } from 'weakincentives';
import { withDefaults } from '../../../src/core/error/index.ts';
import { compileSchema } from '../../../src/core/schema/index.ts';
import { createGitBlameTool } from '../../../src/host/git/git-blame.ts';
import { createGitDiffTool } from '../../../src/host/git/git-diff.ts';
import { gitLimitChecks } from '../../../src/host/git/git-limits.ts';
import { createGitLogTool } from '../../../src/host/git/git-log.ts';
import { createGitShowTool } from '../../../src/host/git/git-show.ts';
import { evaluateCodeTool } from '../../../src/host/sandbox/evaluate/evaluate-code.ts';
import { evaluateLimitChecks } from '../../../src/host/sandbox/evaluate/limits.ts';
import { evaluatePythonTool } from '../../../src/host/sandbox/podman/evaluate-python.ts';
import { shellExecuteTool } from '../../../src/host/sandbox/shell/shell-execute.ts';
import { shellLimitsOf } from '../../../src/host/sandbox/shell/shell-limits.ts';
import { createMemoryTool } from '../../../src/suite/memory/index.ts';
import { createPlanningTools } from '../../../src/suite/planning/planning-tools.ts';
import { createApplyPatchTool } from '../../../src/suite/vfs/apply-patch.ts';
import { createVfsTools } from '../../../src/suite/vfs/vfs-tools.ts';

/** What a model is told of a tool, in the order in which it stands. */
function toldOf({ name, description, inputSchema, outputSchema }: AnyTool): string {
  const input = inputSchema === undefined ? undefined : compileSchema(inputSchema).inputJsonSchema;
  const output = outputSchema === undefined ? undefined : compileSchema(outputSchema).outputJsonSchema;
  return JSON.stringify({ name, description, input, output }, undefined, 1);
}

function textOf(tools: readonly AnyTool[]): string {
  return `${tools.map(toldOf).join('\n')}\n`;
}

// `npx vitest run test/unit/suite/golden-tools.test.ts -u` writes the files again: a request to a provider and what it has cached change with them.
describe('a model is told of the tools of the library exactly what the golden file says', () => {
  it('of files', async () => {
    const tools: readonly AnyTool[] = [
      createVfsTools(),
      createVfsTools({ attachments: ['image', 'pdf'], limits: { maxLines: 7 } }),
    ].flatMap((made) => Object.values(made));
    await expect(textOf(tools)).toMatchFileSnapshot('../../fixtures/golden/vfs-tools.txt');
  });

  it('of patches', async () => {
    await expect(textOf([createApplyPatchTool()])).toMatchFileSnapshot(
      '../../fixtures/golden/apply-patch-tool.txt',
    );
  });

  it('of planning', async () => {
    const tools: readonly AnyTool[] = Object.values(createPlanningTools(false));
    await expect(textOf(tools)).toMatchFileSnapshot('../../fixtures/golden/planning-tools.txt');
  });

  it('of memory', async () => {
    await expect(textOf([createMemoryTool().tool])).toMatchFileSnapshot(
      '../../fixtures/golden/memory-tool.txt',
    );
  });

  it('of sandboxes', async () => {
    const [shell, code] = [shellLimitsOf(), withDefaults(evaluateLimitChecks)];
    const tools = [
      shellExecuteTool({ limits: shell, effects: 'external', rollbackOn: 'failure' }),
      evaluatePythonTool({ limits: shell, effects: 'state' }),
      evaluateCodeTool(['javascript'], code),
      evaluateCodeTool(['javascript', 'python'], code),
    ];
    await expect(textOf(tools)).toMatchFileSnapshot('../../fixtures/golden/sandbox-tools.txt');
  });

  it('of a repository', async () => {
    const options = { limits: withDefaults(gitLimitChecks) } as Parameters<typeof createGitLogTool>[0];
    const tools = [createGitLogTool, createGitShowTool, createGitDiffTool, createGitBlameTool].map((make) =>
      make(options),
    );
    await expect(textOf(tools as readonly AnyTool[])).toMatchFileSnapshot(
      '../../fixtures/golden/git-tools.txt',
    );
  });
});
