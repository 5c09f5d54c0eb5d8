import { basename } from 'node:path';
import { command, EXIT } from '../../cli/kit/command.js';
import { SCRIPTS } from '../../cli/kit/completion-script.js';

export const completionCommand = command({
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
    io.out(SCRIPTS[shell ?? (own === 'zsh' || own === 'fish' ? own : 'bash')]);
    return EXIT.done;
  },
});
