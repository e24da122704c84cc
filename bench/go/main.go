// Times robfig/cron, the Go original: one JSON request a line on stdin, one JSON answer a line on stdout.
package main

import (
	"encoding/json"
	"io"
	"os"
	"runtime"
	"time"
	_ "time/tzdata" // a machine without zone files must not change what is measured

	"github.com/robfig/cron/v3"
)

type request struct {
	Op         string  `json:"op"` // parse, first, random; anything else is a chain of Next
	Expression string  `json:"expression"`
	Zone       string  `json:"zone"`
	Start      int64   `json:"start"` // Unix seconds
	Count      int     `json:"count"` // answers in one loop
	Instants   []int64 `json:"instants"`
	Loops      int     `json:"loops"` // 0: give the answers themselves, untimed
}

type answer struct {
	Ns      int64   `json:"ns"` // for all loops together
	Answers []int64 `json:"answers"`
	Error   string  `json:"error"`
}

// work does one loop of a request and hands each instant found to keep.
type work func(keep func(time.Time))

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r request
		if err := in.Decode(&r); err == io.EOF {
			return
		} else if err != nil {
			os.Exit(1)
		}
		if err := out.Encode(handle(r)); err != nil {
			os.Exit(1)
		}
	}
}

func handle(r request) answer {
	loop, err := prepare(r)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if r.Loops == 0 {
		found := []int64{}
		loop(func(t time.Time) { found = append(found, t.Unix()) })
		return answer{Answers: found}
	}
	runtime.GC()
	begin := time.Now()
	for i := 0; i < r.Loops; i++ {
		loop(func(time.Time) {})
	}
	return answer{Ns: time.Since(begin).Nanoseconds()}
}

func prepare(r request) (work, error) {
	text := "CRON_TZ=" + r.Zone + " " + r.Expression
	schedule, err := cron.ParseStandard(text)
	if err != nil {
		return nil, err
	}
	start := time.Unix(r.Start, 0).UTC()
	switch r.Op {
	case "parse":
		return repeat(r.Count, func() time.Time { _, _ = cron.ParseStandard(text); return start }), nil
	case "first":
		return repeat(r.Count, func() time.Time {
			fresh, _ := cron.ParseStandard(text)
			return fresh.Next(start)
		}), nil
	case "random":
		return scattered(schedule, r.Instants), nil
	default:
		return chain(schedule, start, r.Count), nil
	}
}

func repeat(count int, call func() time.Time) work {
	return func(keep func(time.Time)) {
		for i := 0; i < count; i++ {
			keep(call())
		}
	}
}

func chain(schedule cron.Schedule, start time.Time, count int) work {
	return func(keep func(time.Time)) {
		t := start
		for i := 0; i < count; i++ {
			t = schedule.Next(t)
			keep(t)
		}
	}
}

func scattered(schedule cron.Schedule, seconds []int64) work {
	instants := make([]time.Time, len(seconds))
	for i, s := range seconds {
		instants[i] = time.Unix(s, 0).UTC()
	}
	return func(keep func(time.Time)) {
		for _, t := range instants {
			keep(schedule.Next(t))
		}
	}
}
