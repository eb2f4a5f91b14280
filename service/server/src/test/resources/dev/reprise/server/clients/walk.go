// Uses the generated client: the service's address and the endpoint's are the arguments.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"walk/reprise"
)

const pause = 20 * time.Millisecond

// done ends the program if a call failed, and returns its answer.
func done[A, R any](answer A, response R, err error) A {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return answer
}

func main() {
	settings := reprise.NewConfiguration()
	settings.Servers = reprise.ServerConfigurations{{URL: os.Args[1]}}
	at := reprise.NewAPIClient(settings)
	ctx := context.Background()

	policy := reprise.TopicPolicy{HealthyRetryPolicy: map[string]any{"numRetries": 0}}
	topic := done(at.TopicsAPI.PutTopic(ctx, "go").TopicPolicy(policy).Execute())
	fmt.Println("topic", topic.GetName())
	subscription := done(at.SubscriptionsAPI.Subscribe(ctx, "go").
		SubscriptionSettings(*reprise.NewSubscriptionSettings(os.Args[2])).Execute())
	id := subscription.GetId()
	fmt.Println("subscription", id)

	message := reprise.Message{
		Body: map[string]any{"order": 4711, "lines": []int{1, 2}},
		Attributes: map[string]any{
			"country": []string{"DE", "FR"}, "total": 12.5, "paid": true,
		},
	}
	publish := at.MessagesAPI.Publish(ctx, "go").Message(message).IdempotencyKey("key-1")
	published := done(publish.Execute())
	again := done(publish.Execute())
	fmt.Println("repeated", again.GetRepeated())

	list := at.DeadLettersAPI.ListDeadLetters(ctx, id).Limit(10)
	dead := done(list.Execute())
	for len(dead.Items) == 0 {
		time.Sleep(pause)
		dead = done(list.Execute())
	}
	fmt.Println("dead", dead.Items[0].GetStopReason(), dead.Next.Get() == nil)
	listed := done(at.DeliveriesAPI.ListDeliveries(ctx).Subscription(id).Execute())
	fmt.Println("listed", listed.Items[0].GetStatus())
	deliveryId := published.GetMessageId() + "@" + id
	delivery := done(at.DeliveriesAPI.GetDelivery(ctx, deliveryId).Execute())
	countries, _ := json.Marshal(delivery.Payload.Get().Attributes["country"])
	fmt.Println("attributes", string(countries))
	fmt.Println("history", delivery.History[0].Outcome.Get().GetStatus())

	redriven := done(at.DeadLettersAPI.Redrive(ctx, id).Redrive(reprise.Redrive{}).Execute())
	fmt.Println("redriven", redriven.GetChanged())
	for delivery.GetStatus() != "delivered" {
		time.Sleep(pause)
		delivery = done(at.DeliveriesAPI.GetDelivery(ctx, deliveryId).Execute())
	}
	change := reprise.SubscriptionChange{}
	change.SetMaxInFlight(8)
	changed := done(at.SubscriptionsAPI.ChangeSubscription(ctx, id).
		SubscriptionChange(change).Execute())
	fmt.Println("changed", changed.GetMaxInFlight())
	health := done(at.SubscriptionsAPI.GetSubscription(ctx, id).Execute()).GetHealth()
	fmt.Println("health", health.GetMaxInFlight())
	total := done(at.LedgerAPI.GetLedger(ctx).Verify(true).Execute()).Total
	fmt.Println("ledger", total.GetDelivered())
	presets := done(at.PoliciesAPI.ListPresets(ctx).Execute())
	fmt.Println("presets", len(presets) > 5)
	preview := done(at.PoliciesAPI.Preview(ctx).Body(map[string]any{"preset": "no-retry"}).Execute())
	fmt.Println("preview", preview.GetRetries())

	_, response, err := at.TopicsAPI.GetTopic(ctx, "none").Execute()
	var refused *reprise.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic(err)
	}
	fmt.Println("error", response.StatusCode, refused.Model().(reprise.ErrorAnswer).Error.Code)
}
