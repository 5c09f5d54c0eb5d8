import { basename } from 'node:path';
import { SCRIPTS } from '../../cli/kit/completion-script.js';
import { defineCommand } from '../../cli/kit/command.js';

export const completionCommand = defineCommand({
  positionals: {
    shell: {
      choices: ['bash', 'zsh', 'fish'],
      describe: 'For which shell (default: that of the environment, else bash)',
    },
  },
  flags: {},
  examples: [
    ['eval "$($0 completion bash)"', 'in ~/.bashrc'],
    ['source <($0 completion zsh)', 'in ~/.zshrc, after compinit'],
    ['$0 completion fish | source', 'in ~/.config/fish/config.fish'],
  ],
  run: async ({ shell }, io) => {
    const own = basename(io.env['SHELL'] ?? '');
    return SCRIPTS[shell ?? (own === 'zsh' || own === 'fish' ? own : 'bash')];
  },
  text: (script) => script,
});
