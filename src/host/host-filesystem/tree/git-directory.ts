/**
 * Whether a path is Git's own directory, the file that takes its place, or below it: by the rules of Git, which also counts names that some
 * file systems take for `.git`.
 */
export function isInGitDirectory(path: string): boolean {
  return path.split('/').some((segment) => {
    const name = segment.replace(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase();
    return name === '.git' || name === 'git~1';
  });
}
