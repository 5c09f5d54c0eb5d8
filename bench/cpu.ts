process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`cpu ${user + system}\n`);
});
