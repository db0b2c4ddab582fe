export {
  type DigestCommand,
  type DigestDirectory,
  type DigestLanguage,
  type DigestManifest,
  WorkspaceDigest,
} from './workspace-digest.ts';
export { type WorkspaceDigestSectionOptions, workspaceDigestSection } from './workspace-digest-section.ts';
