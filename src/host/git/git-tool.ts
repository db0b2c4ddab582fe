import { FilesystemError } from '../../core/error/index.ts';
import type { InferOutput, Schema } from '../../core/schema/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { type AnyTool, type ToolOptions, ToolResult, tool } from '../../core/tool/index.ts';
import { GitRefusal } from './git-error.ts';
import type { GitLimits } from './git-limits.ts';
import { openRepository, type PrivateRepository } from './private-repository.ts';

/** What the tools are made with. */
export interface GitToolOptions {
  readonly git: string;
  readonly limits: GitLimits;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** A tool of the history: as any tool, with the repository in place of the context. */
interface HistoryToolOptions<PS extends Schema, RS extends Schema>
  extends Omit<ToolOptions<PS, RS>, 'effects' | 'execute'> {
  readonly inputSchema: PS;
  readonly run: (
    params: InferOutput<PS>,
    repository: PrivateRepository,
  ) => ReturnType<NonNullable<ToolOptions<PS, RS>['execute']>>;
}

/** Makes a tool that opens the repository of the call's files; what it refuses becomes a failed result. */
export function gitTool<PS extends Schema, RS extends Schema>(
  options: GitToolOptions,
  { run, ...rest }: HistoryToolOptions<PS, RS>,
): AnyTool {
  return tool<PS, RS>({
    ...rest,
    effects: 'read',
    '~files': { arguments: { path: 'path' } },
    execute: async (params, { filesystem, signal }) => {
      try {
        await using repository = await openRepository(filesystem, { ...options, signal });
        return await run(params, repository);
      } catch (error) {
        if (error instanceof GitRefusal || FilesystemError.isInstance(error))
          return ToolResult.error(error.message);
        throw error;
      }
    },
  });
}
