import { FilesystemError } from '../../core/error/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { type ToolContext, type ToolFailure, ToolResult } from '../../core/tool/index.ts';
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

/** Opens the repository of the call's files for a handler; what it refuses becomes a failed result. */
export async function withRepository<R>(
  { filesystem, signal }: ToolContext,
  options: GitToolOptions,
  use: (repository: PrivateRepository) => Promise<ToolResult<R>>,
): Promise<ToolResult<R> | ToolFailure> {
  try {
    await using repository = await openRepository(filesystem, { ...options, signal });
    return await use(repository);
  } catch (error) {
    if (error instanceof GitRefusal || FilesystemError.isInstance(error))
      return ToolResult.error(error.message);
    throw error;
  }
}
