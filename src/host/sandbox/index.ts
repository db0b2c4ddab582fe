export { SandboxBackend } from './backend/sandbox-backend.ts';
export { bubblewrapSandbox } from './bubblewrap/bubblewrap-sandbox.ts';
export { podmanSandbox } from './podman/podman-sandbox.ts';
export { shellSection } from './shell/shell-section.ts';
export { virtualSandbox } from './virtual/virtual-sandbox.ts';
