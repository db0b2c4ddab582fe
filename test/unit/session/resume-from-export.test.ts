import { describe, expect, it } from 'vitest';
import {
  defineSlice,
  keepLatestBy,
  on,
  PolicyState,
  PromptExecutions,
  PromptRenderings,
  promptTemplate,
  Session,
  section,
  sequentialDependencyPolicy,
  ToolInvocations,
  ToolRenderings,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedModel } from 'weakincentives/testing';
import { z } from 'zod';

const Build = z.object({ target: z.string() });
const build = tool({
  name: 'build',
  description: 'Build a target.',
  effects: 'state',
  inputSchema: Build,
  outputSchema: Build,
  execute: ({ target }) => (target === 'bad' ? ToolResult.error('broken') : ToolResult.ok({ target })),
});
const deploy = tool({
  name: 'deploy',
  description: 'Deploy what was built.',
  effects: 'state',
  execute: () => ToolResult.ok(null),
});
const Builds = defineSlice('builds', Build, {
  reducers: [
    on(
      build.succeeded,
      keepLatestBy(
        (built) => built.target,
        ({ value }) => value,
      ),
    ),
  ],
});
const release = section({
  title: 'Release',
  key: 'release',
  template: 'Release.',
  tools: [build, deploy],
  slices: [Builds],
  policies: [sequentialDependencyPolicy({ dependencies: { deploy: ['build'] } })],
});
const prompt = promptTemplate({ ns: 'tests', key: 'resume', sections: [release] }).bind();

const scripted = (...calls: readonly { name: string; arguments?: object }[]) =>
  scriptedModel([{ toolCalls: calls }, { text: 'Done.' }]);

describe('a session that went through JSON', () => {
  it('goes on where the other one stopped, policies included', async () => {
    const session = new Session();
    await scripted(
      { name: 'build', arguments: { target: 'a' } },
      { name: 'build', arguments: { target: 'b' } },
      { name: 'build', arguments: { target: 'bad' } },
      { name: 'build', arguments: { target: 'a' } },
    ).evaluate(prompt, { session });
    // A failed call feeds no reducer of `succeeded`, and its value is kept in no slice.
    expect(session.slice(Builds).all()).toEqual([{ target: 'b' }, { target: 'a' }]);
    const text = JSON.stringify(session.exportState({ includeLogs: true }));

    const resumed = new Session({ id: 'resumed' });
    const records = [ToolInvocations, PromptRenderings, ToolRenderings, PromptExecutions];
    for (const slice of [...prompt.slices(), PolicyState, ...records]) resumed.install(slice);
    resumed.importState(JSON.parse(text));
    expect(resumed.slice(Builds).all()).toEqual(session.slice(Builds).all());
    expect(resumed.slice(PolicyState).all()).toEqual(session.slice(PolicyState).all());
    expect(resumed.slice(ToolInvocations).all()).toEqual(session.slice(ToolInvocations).all());

    await scripted({ name: 'deploy' }).evaluate(prompt, { session: resumed });
    expect(resumed.slice(ToolInvocations).latest()).toMatchObject({
      toolName: 'deploy',
      outcome: 'committed',
    });
    const unaware = new Session();
    await scripted({ name: 'deploy' }).evaluate(prompt, { session: unaware });
    expect(unaware.slice(ToolInvocations).latest()).toMatchObject({ toolName: 'deploy', outcome: 'denied' });
  });

  it('is not taken for one whose policy state is made up', () => {
    const session = new Session();
    session.install(PolicyState);
    const forged = {
      ...session.exportState(),
      slices: [
        {
          name: 'weakincentives.policy-facts',
          version: 1,
          items: [{ policyName: 'sequential-dependency', tool: 1 }],
        },
      ],
    };
    expect(() => session.importState(forged)).toThrow(
      expect.objectContaining({ code: 'snapshot-item-invalid', message: expect.stringContaining('tool') }),
    );
  });
});
