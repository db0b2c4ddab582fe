import {
  assertOptions,
  type OptionsOf,
  oneOf,
  PromptValidationError,
  SessionError,
} from '../../core/error/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import {
  type Section,
  type SectionPrepareContext,
  type SectionRenderContext,
  section,
  type VisibilitySelector,
} from '../../core/prompt/index.ts';
import { installedItems } from '../../core/session/index.ts';
import { digestWorkspace } from './digest-workspace.ts';
import { digestDetails, digestOverview } from './format-digest.ts';
import { digestLimits } from './limits.ts';
import { WorkspaceDigest } from './workspace-digest.ts';

/** Options of {@link workspaceDigestSection}. */
export interface WorkspaceDigestSectionOptions {
  /** Default `Workspace Digest`. */
  readonly title?: string;
  /** Default `workspace-digest`. */
  readonly key?: string;
  /**
   * When the digest is made: `'session'` when the session has none yet, `'evaluation'` anew for each evaluation. Default `'session'`.
   */
  readonly refresh?: 'session' | 'evaluation';
  /** Whether what `.gitignore` files name is counted as well. `.git` and `node_modules` never are. Default false. */
  readonly includeIgnored?: boolean;
  /** How much of the details the model sees beside the overview. Default `'summary'`: the model can open them. */
  readonly visibility?: VisibilitySelector<Record<never, never>>;
}

const digestChecks: OptionsOf<WorkspaceDigestSectionOptions> = {
  title: 'string',
  key: 'string',
  refresh: oneOf(['session', 'evaluation']),
  includeIgnored: 'boolean',
  visibility: 'any',
};

/**
 * A section that gives the model a digest of the workspace, the prompt's `Filesystem`: file counts, languages, commands of manifests and notable
 * files as an overview, and a subsection `details` with directories and all commands, which the model opens when it needs them.
 *
 * The digest is made when an evaluation starts and kept in the slice {@link WorkspaceDigest}, so that every rendering of an
 * evaluation shows the same. Its texts come from the workspace, which may be anyone's: they are marked as data, on one line
 * each, without control characters, and bounded.
 *
 * @throws {PromptValidationError} for an unknown option or value of `refresh`.
 * @see docs/spec/digest.md §1
 */
export function workspaceDigestSection(
  options: WorkspaceDigestSectionOptions = {},
): Section<Record<never, never>> {
  assertOptions('workspaceDigestSection()', options, digestChecks);
  const {
    title = 'Workspace Digest',
    key = 'workspace-digest',
    refresh = 'session',
    visibility = 'summary',
    includeIgnored = false,
  } = options;
  const make = async (
    { resources }: Pick<SectionRenderContext, 'resources'>,
    signal?: AbortSignal,
  ): Promise<WorkspaceDigest | undefined> =>
    resources?.has(Filesystem) === true
      ? digestWorkspace(await resources.get(Filesystem), {
          limits: digestLimits,
          respectGitignore: !includeIgnored,
          signal,
        })
      : undefined;
  const prepare = async (context: SectionPrepareContext): Promise<void> => {
    const { session, signal } = context;
    if (refresh === 'session' && session.slice(WorkspaceDigest).length > 0) return;
    const digest = await make(context, signal);
    if (digest === undefined) throw noFiles(key);
    try {
      session.slice(WorkspaceDigest).seed([digest]);
    } catch (error) {
      // Inside a call that may only read, the digest is made where it is shown.
      if (!SessionError.isInstance(error) || error.code !== 'session-read-only') throw error;
    }
  };
  const render =
    (format: (digest: WorkspaceDigest) => string) =>
    async (_params: Record<never, never>, context: SectionRenderContext): Promise<string> => {
      const digest = installedItems(context.session, WorkspaceDigest).at(-1) ?? (await make(context));
      return digest === undefined ? 'The digest is made when an evaluation starts.' : format(digest);
    };
  return section({
    title,
    key,
    acceptsOverrides: false,
    slices: [WorkspaceDigest],
    prepare,
    render: render(digestOverview),
    children: [
      section({
        title: 'Details',
        key: 'details',
        summary:
          'Directories with file counts, commands of all manifests with what they run, and notable files.',
        visibility,
        acceptsOverrides: false,
        render: render(digestDetails),
      }),
    ],
  });
}

function noFiles(key: string): PromptValidationError {
  return new PromptValidationError(
    `The section "${key}" has no workspace to make a digest of: the prompt binds no Filesystem. Bind one, or add vfsToolsSection().`,
    { details: { section: key } },
  );
}
