import { describe, expect, it } from 'vitest';
import { PolicyState, sequentialDependencyPolicy } from 'weakincentives';
import { callOf, contextOf, PolicyStage } from './policy-fixtures.ts';

const policy = sequentialDependencyPolicy({ dependencies: { deploy: ['test', 'build'], build: ['lint'] } });

describe('sequentialDependencyPolicy', () => {
  it('denies a tool until all that it needs have succeeded, naming the missing ones sorted', async () => {
    const stage = new PolicyStage();
    expect(await stage.call(policy, 'deploy')).toBe(
      '"deploy" may be called only after "build", "test" succeeded. Call them first.',
    );
    expect(await stage.call(policy, 'build')).toMatch(/only after "lint" succeeded\. Call it first/);
    expect(await stage.call(policy, 'lint')).toBeUndefined();
    expect(await stage.call(policy, 'build')).toBeUndefined();
    expect(await stage.call(policy, 'deploy')).toMatch(/only after "test" succeeded/);
    expect(await stage.call(policy, 'test')).toBeUndefined();
    expect(await stage.call(policy, 'deploy')).toBeUndefined();
  });

  it('does not count calls that were rolled back or happened in a state that was restored', async () => {
    const stage = new PolicyStage();
    const before = stage.session.snapshot();
    await stage.call(policy, 'lint');
    stage.session.restore(before);
    expect(await stage.call(policy, 'build')).toMatch(/lint/);
    await stage.call(policy, 'lint');
    stage.session.reset();
    expect(await stage.call(policy, 'build')).toMatch(/lint/);
  });

  it('keeps its own memory apart from that of another policy', async () => {
    const stage = new PolicyStage();
    const other = sequentialDependencyPolicy({ name: 'other', dependencies: { build: ['lint'] } });
    await stage.call(other, 'lint');
    expect(await stage.call(policy, 'build')).toMatch(/lint/);
    expect(await stage.call(other, 'build')).toBeUndefined();
    expect(stage.session.slice(PolicyState).all()).toEqual([
      { policyName: 'other', invokedTools: ['lint', 'build'], invokedKeys: [] },
    ]);
  });

  it('lets guarded calls run in parallel that have nothing to do with each other', async () => {
    const stage = new PolicyStage();
    await stage.call(policy, 'lint');
    const context = (session: ReturnType<typeof stage.session.fork>) => ({
      ...contextOf(session),
      changes: [],
      readPaths: [],
      innerChanges: [],
    });
    const [build, lint] = [stage.session.fork(), stage.session.fork()];
    await policy.check?.(callOf('build'), context(build));
    await policy.onResult?.(callOf('build'), { success: true, message: '', value: null }, context(build));
    await policy.check?.(callOf('lint'), context(lint));
    await policy.onResult?.(callOf('lint'), { success: true, message: '', value: null }, context(lint));
    stage.session.apply(lint.patch());
    expect(build.conflicts()).toEqual([]);
  });

  it('knows tools by their own name only', async () => {
    const stage = new PolicyStage();
    expect(await stage.call(policy, 'constructor')).toBeUndefined();
    expect(await stage.call(policy, 'anything')).toBeUndefined();
  });

  it.each([
    ['itself', { a: ['a'] }, 'a -> a'],
    ['a circle', { a: ['b'], b: ['c'], c: ['a'] }, 'a -> b -> c -> a'],
    ['a circle further down', { x: ['a'], a: ['b'], b: ['a'] }, 'a -> b -> a'],
  ])('cannot be made when a tool waits for %s', (_what, dependencies, cycle) => {
    expect(() => sequentialDependencyPolicy({ dependencies })).toThrow(
      expect.objectContaining({ code: 'prompt-invalid', message: expect.stringContaining(cycle) }),
    );
  });

  it('can be made when tools share what they need', () => {
    expect(() =>
      sequentialDependencyPolicy({ dependencies: { a: ['b', 'c'], b: ['d'], c: ['d', 'd'] } }),
    ).not.toThrow();
  });
});
