package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	osexec "os/exec"
	"syscall"
	"time"

	"github.com/creack/pty"
	"k8s.io/apimachinery/pkg/types"
	remotecommandconsts "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/tools/remotecommand"
	streaming "k8s.io/kubelet/pkg/cri/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const (
	idle     = 4 * time.Hour
	creation = 30 * time.Second
)

// exec runs a command; which protocol it is done with, the streaming code finds out.
func exec(w http.ResponseWriter, r *http.Request) {
	options, err := streaming.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	streaming.ServeExec(
		w, r, local{}, r.PathValue("pod"), "", r.PathValue("container"),
		r.URL.Query()["command"], options, idle, creation,
		remotecommandconsts.SupportedStreamingProtocols,
	)
}

type local struct{}

// ExecInContainer runs the command on this machine, and kills it when its caller is gone.
func (local) ExecInContainer(
	ctx context.Context, _ string, _ types.UID, _ string, cmd []string, in io.Reader,
	out, err io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize, _ time.Duration,
) error {
	command := osexec.CommandContext(ctx, cmd[0], cmd[1:]...)
	if tty {
		return inTerminal(command, in, out, resize)
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if out != nil {
		command.Stdout = out
	}
	if err != nil {
		command.Stderr = err
	}
	if in == nil {
		return result(command.Run())
	}
	// A pipe of our own: the command's end must not wait for the end of its input.
	stdin, failed := command.StdinPipe()
	if failed != nil {
		return failed
	}
	if failed := command.Start(); failed != nil {
		return failed
	}
	go func() {
		_, _ = io.Copy(stdin, in)
		_ = stdin.Close()
	}()
	return result(command.Wait())
}

func inTerminal(
	command *osexec.Cmd, in io.Reader, out io.Writer, resize <-chan remotecommand.TerminalSize,
) error {
	terminal, err := pty.Start(command)
	if err != nil {
		return err
	}
	defer terminal.Close()
	go func() {
		for size := range resize {
			_ = pty.Setsize(terminal, &pty.Winsize{Rows: size.Height, Cols: size.Width})
		}
	}()
	if in != nil {
		go func() { _, _ = io.Copy(terminal, in) }()
	}
	// A terminal whose last process has ended gives an error, not an end.
	_, _ = io.Copy(out, terminal)
	return result(command.Wait())
}

// result tells the streaming code of an exit code in the type that it looks for.
func result(err error) error {
	var exit *osexec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	code := exit.ExitCode()
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	return utilexec.CodeExitError{Err: err, Code: code}
}
