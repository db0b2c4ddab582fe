import {
  type FileChange,
  type Filesystem,
  MemoryFilesystem,
  type PolicyCall,
  type PolicyContext,
  type PolicyDecision,
  PolicyState,
  Session,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import type { FilesystemFork } from '../../../../src/core/filesystem/index.ts';
import { PolicyFacts } from '../../../../src/core/policy/index.ts';
import type { SessionFork } from '../../../../src/core/session/index.ts';
import { silentLogger } from '../../../../src/core/tool/index.ts';

/** A session and files that guarded calls run on, one transaction per call. */
export class PolicyStage {
  readonly session: Session = new Session({ id: 'stage' });
  readonly files: Filesystem;

  /** @param files what is there, or a file system. */
  constructor(files: Record<string, string> | Filesystem = {}) {
    // Of the two only a file system has methods.
    this.files =
      typeof files['fork'] === 'function'
        ? (files as Filesystem)
        : new MemoryFilesystem({ files: files as Record<string, string> });
    for (const slice of [PolicyFacts, PolicyState]) this.session.install(slice);
  }

  /**
   * One call as the runtime makes it: check, work on a fork of the files, checkChanges, onResult, commit.
   * @returns why it was denied, or undefined when it was committed.
   */
  async call(
    policy: ToolPolicy,
    toolName: string,
    params: unknown = {},
    work: (fork: FilesystemFork) => unknown = () => undefined,
  ): Promise<string | undefined> {
    const sessionFork = this.session.fork({ readOnly: true });
    const fileFork = this.files.fork();
    const call = callOf(toolName, params);
    const context = { ...contextOf(sessionFork), filesystem: fileFork.view };
    const early = await policy.check?.(call, context);
    if (isDenied(early)) return early.reason;
    await work(fileFork);
    const changes: readonly FileChange[] = fileFork.changes();
    const late = await policy.checkChanges?.(call, changes, {
      ...context,
      readPaths: fileFork.readPaths(),
      innerChanges: [],
    });
    if (isDenied(late)) return late.reason;
    const result = ToolResult.ok(null);
    await policy.onResult?.(call, result, {
      ...context,
      changes,
      readPaths: fileFork.readPaths(),
      '~contentReads': fileFork['~contentReads']?.(),
      innerChanges: [],
    });
    const conflicts = [...sessionFork.conflicts(), ...fileFork.conflicts()];
    if (conflicts.length > 0) throw new Error(`unexpected conflicts: ${conflicts.join(', ')}`);
    this.session.apply(sessionFork.patch());
    this.files.apply(fileFork.patch());
    return undefined;
  }
}

/** The context of a policy without bound resources and without a model. */
export function contextOf(session: SessionFork): PolicyContext {
  return {
    session: session.privileged,
    resources: { has: () => false, get: () => Promise.reject(new Error('nothing is bound')) },
    signal: new AbortController().signal,
    prompt: { ns: 'test', key: 'stage', name: 'stage', sections: () => [] },
    renderedPrompt: { text: '', tools: [] },
    adapter: { name: 'none', evaluate: () => Promise.reject(new Error('there is no model')) },
    logger: silentLogger,
  };
}

/** A call of a tool of that name. */
export function callOf(toolName: string, params: unknown = {}): PolicyCall {
  return { tool: tool({ name: toolName, description: 'A tool.' }), params, callId: 'call-1', path: [] };
}

function isDenied(decision: PolicyDecision | undefined): decision is PolicyDecision {
  return decision?.outcome === 'deny';
}
