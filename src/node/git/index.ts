export type { GitLimits } from './git-limits.ts';
export { type GitSectionOptions, type GitToolName, gitSection } from './git-section.ts';
